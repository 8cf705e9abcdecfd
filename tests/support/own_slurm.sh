# shellcheck shell=bash
# A SLURM of the test's own, as root. To be sourced. The test starts slurmctld and slurmd, and ends all daemons by their ids.

slurm_is_installed() {
  local program
  for program in slurmctld slurmd munged sbatch scontrol; do
    command -v $program >/dev/null || { echo "there is no $program (apt install slurm-wlm munge)"; return 1; }
  done
}

# start_munge DIRECTORY: with a key of its own and the socket DIRECTORY/munge.socket; sets `munge`, the id of its process.
start_munge() {
  local at=$1
  mkdir -p "$at/munge" && chmod 700 "$at/munge" && head -c 1024 /dev/urandom >"$at/munge/key" && chmod 400 "$at/munge/key" || return 1
  munged --foreground --force --key-file="$at/munge/key" --socket="$at/munge.socket" --pid-file="$at/munge/pid" \
    --log-file="$at/munge/log" --seed-file="$at/munge/seed" >"$at/munged.log" 2>&1 &
  # shellcheck disable=SC2034  # for the test
  munge=$!
}

# slurm_conf DIRECTORY CONTROLLER PORT: slurm.conf without nodes and partitions, with all files in DIRECTORY.
slurm_conf() {
  local at=$1
  cat <<END
ClusterName=grove_test
SlurmctldHost=$2
AuthType=auth/munge
AuthInfo=socket=$at/munge.socket,cred_expire=5
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
SlurmctldPort=$3
SlurmctldPidFile=$at/slurmctld.pid
SlurmdPidFile=$at/slurmd.%n.pid
SlurmctldLogFile=$at/slurmctld.log
SlurmdLogFile=$at/slurmd.%n.log
StateSaveLocation=$at/state
SlurmdSpoolDir=$at/spool%n
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0,bf_interval=1
ReturnToService=2
SlurmdTimeout=300
KillWait=15
END
}

# slurm_has_started DIRECTORY: waits until all nodes of the partition `test` are idle, or says why they are not.
slurm_has_started() {
  for _ in $(seq 100); do [ "$(sinfo -h -o %T -p test 2>/dev/null)" = idle ] && return 0; sleep 0.2; done
  echo "SLURM has not started:"
  sinfo
  tail -n 20 "$1"/*.log "$1"/*.out
  return 1
}
field_of_job() { scontrol show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }
