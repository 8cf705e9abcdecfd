#!/usr/bin/env bash
# Every command of docs/guide/tutorial.md, in its order, with few particles, long steps and small pictures.
# Usage: tutorial_test.sh ROOT GROVE
# Skipped (exit code 77) where one of the other programs that the tutorial uses is not installed; tests/run.sh installs them where it can.
# sbatch is replaced by a shell that runs the script: slurm_test.sh has a SLURM.
set -u
root=$(cd "$1" && pwd) grove=$2
skip() { echo "Skipped: $1"; exit 77; }
command -v ffmpeg >/dev/null && command -v ffprobe >/dev/null || skip "ffmpeg is not installed (apt install ffmpeg)"
source "$root/tests/support/shell_tests.sh"
python=$(python_with "matplotlib, pandas") || skip "no Python here has matplotlib and pandas (apt install python3-matplotlib python3-pandas)"

# blocks LANGUAGE: the code of the tutorial in this language.
blocks() { awk -v fence="\`\`\`$1" '$0 == fence { inside = 1; next } /^```/ { inside = 0 } inside' "$root/docs/guide/tutorial.md"; }

config() {
  mkdir -p build/release bin && cp -r "$root/jobscripts" jobscripts && ln -s "$grove" build/release/grove || return 1
  sed -i -e 's/^n = .*/n = 2000/' -e 's/^dt = .*/dt = "20 Myr"/' -e 's/^width = .*/width = 160/' -e 's/^height = .*/height = 90/' jobscripts/andromeda.toml
  printf '#!/bin/sh\nexec bash "$@"\n' >bin/sbatch
  printf '#!/bin/sh\nexec "%s" "$@"\n' "$python" >bin/python3
  chmod +x bin/sbatch bin/python3
  export PATH=$PWD/bin:$PATH OMP_NUM_THREADS=1 GROVE_MPIRUN_FLAGS="--bind-to none"
}

# One line of the tutorial.
run_line() {
  case "$1" in
    *" view "*)
      # It serves until it is stopped.
      timeout -s INT 5 $1 --port 0 >view.txt 2>&1
      holds [ $? -eq 124 ] && contains view.txt "http://localhost:"
      ;;
    *) eval "$1" >"out.txt" 2>&1 </dev/null || { echo "exit code $? of: $1"; tail -n 30 out.txt; return 1; } ;;
  esac
}

is_png() { holds [ "$(od -An -tx1 -N8 "$1" | tr -d ' ')" = 89504e470d0a1a0a ]; }

tests_follow

every_command_of_the_tutorial_does_what_it_says() {
  local count=0 line
  while IFS= read -r line; do
    run_line "$line" || return 1
    count=$((count + 1))
  done < <(blocks sh)
  holds [ "$count" -ge 9 ] || return 1
  blocks python >plots.py && "$python" plots.py || return 1
  # The run was computed once: the second command found it finished.
  holds [ "$(ls output_andromeda/snapshot_*.hdf5 | wc -l)" -eq 21 ] && holds [ ! -e output_andromeda.1 ] &&
    holds [ "$(ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 andromeda.mp4)" -eq 201 ] &&
    is_png output_andromeda/plot.png && is_png from_the_side/snapshot_0020_density_x.png && is_png profile.png
}

run_tests
