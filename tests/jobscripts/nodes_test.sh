#!/usr/bin/env bash
# Ranks on several nodes: network namespaces of this machine, each with a host name and an address of its own, and messages over TCP alone.
# Usage: nodes_test.sh ROOT GROVE MPIRUN DIRECTORY_OF_TESTS TEST...
# TEST is NODES:NAME, a test that runs on so many nodes. Needs root and ip (iproute2), and for SLURM its daemons.
# Each test is a function, as tests/support/shell_tests.sh says; in its directory, run.toml is a small run.
# shellcheck disable=SC2015,SC2086  # "a && b || c" of checks; numbers
set -u
root=$1 grove=$2 mpirun=$3 test_directory=$4
messages=("${@:5}")
skip() { echo "Skipped: $1"; exit 77; }

[ "$(id -u)" -eq 0 ] || skip "network namespaces need root"
command -v ip >/dev/null || skip "there is no ip (apt install iproute2)"
source "$root/tests/support/shell_tests.sh"
source "$root/tests/support/own_slurm.sh"
chmod 755 "$directory"

# The switch and the nodes are namespaces $prefix-switch, $prefix-node1 ...
prefix=grove$$
all_nodes=(node1 node2 node3 node4)
daemons=()
# All processes in the namespaces are of this test.
processes_on() { ip netns pids "$prefix-$1" 2>/dev/null; }
kill_node() { processes_on "$1" | xargs -r kill -KILL 2>/dev/null; }
end() {
  local namespace
  for namespace in "${all_nodes[@]}" switch; do kill_node "$namespace"; done
  for daemon in "${daemons[@]}"; do kill "$daemon" 2>/dev/null; done
  wait
  for namespace in "${all_nodes[@]}" switch; do ip netns delete "$prefix-$namespace" 2>/dev/null; done
  rm -rf "$directory"
}
trap end EXIT
trap 'exit 1' INT TERM HUP

address_of() { echo "10.77.0.${1#node}"; }
make_nodes() {
  local node switch=$prefix-switch
  ip netns add "$switch" && ip -n "$switch" link add bridge type bridge && ip -n "$switch" link set bridge up || return 1
  for node in "${all_nodes[@]}"; do
    ip netns add "$prefix-$node" && ip -n "$prefix-$node" link add eth0 type veth peer name "$node" netns "$switch" &&
      ip -n "$switch" link set "$node" master bridge up && ip -n "$prefix-$node" link set lo up &&
      ip -n "$prefix-$node" address add "$(address_of "$node")/24" dev eth0 && ip -n "$prefix-$node" link set eth0 up || return 1
  done
  # nsenter, since "ip netns exec" hides the control groups, which slurmd needs.
  in_node node1 true
}
# in_node NODE COMMAND...: by its host name, MPI tells nodes apart.
# shellcheck disable=SC2016
in_node() { nsenter --net="/run/netns/$prefix-$1" unshare --uts sh -c 'hostname "$0" && exec "$@"' "$@"; }
# In place of ssh: agent NODE WORDS OF A SHELL'S COMMAND...
agent=$directory/agent
cat >"$agent" <<END
#!/bin/sh
node=\$1
shift
exec nsenter --net="/run/netns/$prefix-\$node" unshare --uts sh -c 'hostname "\$0" && exec sh -c "\$1"' "\$node" "\$*"
END
chmod +x "$agent"

message=$(make_nodes 2>&1) || skip "this machine makes no network namespaces that are joined by a bridge: $message"

# Open MPI 5 has other names for some. Without a network between nodes that is not TCP, without shared memory, without SLURM around it.
unset "${!SLURM_@}"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_plm_rsh_agent=$agent PRTE_MCA_plm_ssh_agent=$agent OMPI_MCA_pml=ob1 OMPI_MCA_btl=tcp,self OMPI_MCA_mpi_yield_when_idle=1
export OMP_NUM_THREADS=1
mpirun_flags=(--map-by :OVERSUBSCRIBE --bind-to none)

# on_nodes N COMMAND...: N ranks on as many nodes.
on_nodes() {
  local hosts=${all_nodes[*]:0:$1}
  in_node node1 timeout -s KILL 240 "$mpirun" -n "$1" --host "${hosts// /,}" "${mpirun_flags[@]}" "${@:2}"
}
run_on_nodes() { on_nodes "$1" "$grove" run run.toml --device cpu --verbose "${@:2}" >out.txt 2>err.txt; }
# As many ranks on one node, with the shared memory that they have there: results in whole/.
on_one_node() {
  in_node node1 env -u OMPI_MCA_btl "$mpirun" -n "$1" "${mpirun_flags[@]}" "$grove" run run.toml --device cpu --quiet && rm -rf whole && mv output whole
}
config() {
  cat >run.toml <<END
[initial_conditions]
generator = "plummer"
n = 4000
[gravity]
softening = 0.05
[time]
end = 1.0
dt = 0.03125
[output]
snapshot_every = 0.25
checkpoint_steps = 10
END
}
# ran_on N FILE: the table of ranks in FILE has the first N nodes.
ran_on() {
  local node
  for node in "${all_nodes[@]:0:$1}"; do holds grep -q "^ *[0-9][0-9]* .*$node" "$2" || return 1; done
}
seconds() { awk -v began="$1" -v ended="$EPOCHREALTIME" 'BEGIN { printf "%.1f", ended - began }'; }
# fails_within SECONDS TEXT COMMAND...: the command, whose standard error is err.txt, says TEXT there in this time, and fails by itself.
fails_within() {
  local longest=$1 text=$2 began=$EPOCHREALTIME took process status
  rm -f err.txt
  "${@:3}" &
  process=$!
  until grep -qE -- "$text" err.txt 2>/dev/null || [ ! -d "/proc/$process" ]; do sleep 0.1; done
  took=$(seconds "$began")
  wait $process
  status=$?
  [ $status -ne 0 ] && grep -qE -- "$text" err.txt && awk -v took="$took" -v longest="$longest" 'BEGIN { exit !(took <= longest) }' &&
    tell "$(echo "${FUNCNAME[1]}" | tr _ ' '): said after $took s, exit code $status" && return 0
  echo "exit code $status, after $took s, of: ${*:3}; '$text' expected:"
  cat out.txt err.txt
  return 1
}
# column NAME: the sum of a column of timings.csv.
column() {
  awk -F, -v name="$1" '/^#/ { next } !at { for (i = 1; i <= NF; ++i) if ($i == name) at = i; next } { sum += $at } END { printf "%.2f", sum }' output/timings.csv
}
tell() { echo "     $1" >>"$directory/figures.txt"; }

# Packets to another node are lost on the way, as a firewall drops them.
loses_packets() {
  ip -n "$prefix-$1" neighbour replace "$(address_of "$2")" lladdr 02:00:00:00:00:99 dev eth0 nud permanent &&
    ip -n "$prefix-$2" neighbour replace "$(address_of "$1")" lladdr 02:00:00:00:00:99 dev eth0 nud permanent
}
loses_none() {
  ip -n "$prefix-$1" neighbour delete "$(address_of "$2")" dev eth0
  ip -n "$prefix-$2" neighbour delete "$(address_of "$1")" dev eth0
}

# Links of 100 Mbit/s, which take 1 ms in each direction. Sets delay_by: what delays them.
slow_down_links() {
  local node at
  for node in "${all_nodes[@]}"; do
    at=$prefix-$node delay_by=netem
    tc -n "$at" qdisc add dev eth0 root netem rate 100mbit delay 1ms 2>/dev/null && continue
    { [ -c /dev/net/tun ] && command -v python3 >/dev/null; } || is_not_tried "neither netem nor a TAP device with python3 delays links here"
    delay_by=slow_link.py
    tc -n "$at" qdisc add dev eth0 root tbf rate 100mbit burst 16kb latency 100ms || return 1
    in_node "$node" python3 "$root/tests/support/slow_link.py" eth0 slow 0.001 >"$node.txt" 2>&1 &
    for _ in $(seq 100); do [ -s "$node.txt" ] && break; sleep 0.1; done
    contains "$node.txt" ready && ip -n "$at" address delete "$(address_of "$node")/24" dev eth0 &&
      ip -n "$at" address add "$(address_of "$node")/24" dev slow && ip -n "$at" link set slow up || return 1
  done
}
speed_up_links() {
  local node
  for node in "${all_nodes[@]}"; do
    tc -n "$prefix-$node" qdisc delete dev eth0 root
    [ "$delay_by" = netem ] && continue
    kill_node "$node"
    ip -n "$prefix-$node" address add "$(address_of "$node")/24" dev eth0
  done
}

start_slurm() {
  local at=$directory/slurm node file
  mkdir -p "$at/state" && start_munge "$at" || return 1
  daemons+=("$munge")
  # SLURM asks for files of its GPUs, and uses them for nothing here.
  for file in null zero full random; do echo "NodeName=node[1-4] Name=gpu File=/dev/$file"; done >"$at/gres.conf"
  {
    slurm_conf "$at" "node1($(address_of node1))" 6817
    echo "GresTypes=gpu"
    for node in "${all_nodes[@]}"; do
      mkdir "$at/spool$node"
      echo "NodeName=$node NodeHostname=$node NodeAddr=$(address_of "$node") CPUs=1 Gres=gpu:4"
    done
    echo "PartitionName=test Nodes=node[1-4] Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO"
  } >"$at/slurm.conf"
  export SLURM_CONF=$at/slurm.conf
  in_node node1 slurmctld -D -i >"$at/ctld.out" 2>&1 &
  for node in "${all_nodes[@]}"; do in_node "$node" slurmd -D -N "$node" >"$at/$node.out" 2>&1 & done
  in_node node1 bash -c "source '$root/tests/support/own_slurm.sh'; slurm_has_started '$at'"
}
state_of_job() { in_node node1 scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }

tests_follow

two_and_four_nodes_have_the_bits_of_one() {
  local n
  for n in 2 4; do
    on_one_node $n && run_on_nodes $n && ran_on $n out.txt && has_the_bits_of_whole || { cat err.txt; return 1; }
    rm -r output whole
  done
}

messages_pass_between_nodes() {
  local test failed=0
  holds [ ${#messages[@]} -gt 0 ] || return 1
  for test in "${messages[@]}"; do
    on_nodes "${test%%:*}" "$test_directory/${test#*:}" >out.txt 2>&1 || { echo "${test#*:} on ${test%%:*} nodes:"; cat out.txt; failed=1; }
  done
  return $failed
}

a_node_that_dies_ends_the_run_which_continues() {
  local run status began
  on_one_node 2 || return 1
  run_on_nodes 2 &
  run=$!
  for _ in $(seq 600); do [ -e output/checkpoint_1.hdf5 ] && break; sleep 0.02; done
  holds [ -e output/checkpoint_1.hdf5 ] || { cat out.txt err.txt; return 1; }
  kill_node node2
  began=$EPOCHREALTIME
  wait $run
  status=$?
  # Open MPI 4 names the node where it notices its connection first, and speaks of its daemons where it notices their end first.
  holds [ "$(seconds "$began" | cut -d. -f1)" -lt 20 ] && holds [ $status -ne 0 ] && holds grep -qE 'node2|one or more daemons' err.txt ||
    { cat out.txt err.txt; return 1; }
  tell "a node died: mpirun ended after $(seconds "$began") s with exit code $status"
  # Ranks on other nodes end soon after.
  for _ in $(seq 100); do [ -z "$(processes_on node1)" ] && break; sleep 0.1; done
  holds [ -z "$(processes_on node1)" ] && run_on_nodes 2 --continue && contains out.txt "after step" && has_the_bits_of_whole ||
    { cat out.txt err.txt; return 1; }
}

a_slow_link_changes_the_time_alone() {
  local status fast slow
  on_one_node 4 && run_on_nodes 4 && has_the_bits_of_whole || { cat err.txt; return 1; }
  fast="$(column tree_exchange_mean_s) $(column total_s)"
  rm -r output
  slow_down_links || return 1
  run_on_nodes 4
  status=$?
  speed_up_links
  [ $status -eq 0 ] && has_the_bits_of_whole || { cat err.txt; return 1; }
  slow="$(column tree_exchange_mean_s) $(column total_s)"
  tell "four nodes: exchange of trees ${fast% *} s of ${fast#* } s; with links of 100 Mbit/s and 1 ms ($delay_by): ${slow% *} s of ${slow#* } s"
  holds awk -v fast="${fast% *}" -v slow="${slow% *}" 'BEGIN { exit !(slow > fast) }'
}

nodes_without_messages_between_them_are_named_within_10_s() {
  local status
  loses_packets node2 node3 || return 1
  fails_within 10 "cannot exchange messages" run_on_nodes 3
  status=$?
  loses_none node2 node3
  [ $status -eq 0 ] && contains err.txt "rank 1 on node2 cannot exchange messages with rank 2" &&
    contains err.txt "rank 2 on node3 cannot exchange messages with rank 1" && contains err.txt firewall && holds [ ! -e output ]
}

a_node_without_a_route_to_another_is_named_within_10_s() {
  local status
  ip -n "$prefix-node2" route add unreachable "$(address_of node3)" || return 1
  # Open MPI's own words.
  fails_within 10 "from node2 to: node3 .*$(address_of node3)" run_on_nodes 3
  status=$?
  ip -n "$prefix-node2" route delete unreachable "$(address_of node3)"
  [ $status -eq 0 ] && holds [ ! -e output ]
}

a_node_without_a_link_ends_the_start_within_10_s() {
  local status
  ip -n "$prefix-node2" link set eth0 down || return 1
  # mpirun's own words: it has started no rank yet.
  fails_within 10 "unable to reliably start|No network interfaces" run_on_nodes 3
  status=$?
  ip -n "$prefix-node2" link set eth0 up
  [ $status -eq 0 ] && holds [ ! -e output ]
}

slurm_starts_the_ranks_of_several_nodes() {
  slurm_is_installed >reason.txt || is_not_tried "SLURM is not installed: $(cat reason.txt)"
  unset OMPI_MCA_plm_rsh_agent PRTE_MCA_plm_ssh_agent
  export GROVE=$grove GROVE_ROOT=$root GROVE_DEVICE=cpu
  start_slurm || return 1
  local n job
  for n in 2 4; do
    on_one_node $n || return 1
    job=$(in_node node1 sbatch --parsable --output=job.log --nodes=$n --gpus-per-node=1 --ntasks-per-node=1 "$root/jobscripts/multi_node.sbatch" run.toml --verbose)
    for _ in $(seq 300); do case $(state_of_job "$job") in PENDING | RUNNING | COMPLETING | CONFIGURING) sleep 0.2 ;; *) break ;; esac; done
    holds [ "$(state_of_job "$job")" = COMPLETED ] && ran_on $n job.log && has_the_bits_of_whole ||
      { cat job.log "$directory"/slurm/*.log; return 1; }
    rm -r output whole job.log
  done
}

run_tests
result=$?
cat "$directory/figures.txt" 2>/dev/null
exit $result
