#!/usr/bin/env bash
# Removes the primary of a MongoDB with three members under load: by a step-down, by a kill and by a freeze, in turn.
# Then compares the read models with the log. Exits with 0 if no accepted change was lost. Argument: number of rounds, 9
# by default. All containers are in a Compose project of their own, which is removed at the end, on the ports of
# compose.yml.
set -euo pipefail
cd "$(dirname "$0")/.."

rounds=${1:-9}
# How long a primary stays away, and how long the load then continues with the next one, in seconds. An election takes
# 10 to 12 seconds.
away=20
between=10

COMPOSE_FILE=compose.yml
COMPOSE_PROJECT_NAME=countersign-failover
COMPOSE_PROFILES=three-mongodb
MONGODB_HOSTS=mongodb:27017,mongodb-2:27017,mongodb-3:27017
MASTER_KEY=$(openssl rand -hex 32)
BOOTSTRAP_OWNER_KEY=csk_$(openssl rand -hex 24)
export COMPOSE_FILE COMPOSE_PROJECT_NAME COMPOSE_PROFILES MONGODB_HOSTS MASTER_KEY BOOTSTRAP_OWNER_KEY

finish() {
  local code=$?
  if [ "$code" -ne 0 ]; then docker compose logs --tail 50 api worker || true; fi
  docker compose down --volumes --timeout 30
  exit "$code"
}
trap finish EXIT

mongo() { docker compose exec -T "$1" mongosh --quiet --eval "$2"; }

# Waits for a primary and prints its name.
primary() {
  local member
  while true; do
    for member in mongodb mongodb-2 mongodb-3; do
      if [ "$(mongo "$member" 'print(db.hello().isWritablePrimary)' 2> /dev/null)" = true ]; then
        echo "$member"
        return
      fi
    done
    sleep 1
  done
}

take_away() {
  case $1 in
    step-down)
      # The step-down may also close the shell's connection.
      mongo "$2" "rs.stepDown($away, 10)" || true
      sleep "$away"
      ;;
    kill)
      docker compose kill "$2"
      sleep "$away"
      docker compose start "$2"
      ;;
    freeze)
      docker compose pause "$2"
      sleep "$away"
      docker compose unpause "$2"
      ;;
  esac
}

docker compose up --detach --wait eventstore kafka mongodb mongodb-2 mongodb-3
mongo mongodb "$(cat failover/members.js)"
docker compose up --build --detach --wait --scale worker=2 api worker

ways=(step-down kill freeze)
seconds=$((rounds * (away + between + 5)))
docker compose exec -T -e "LOAD_SECONDS=$seconds" api node --input-type=module < failover/load.mjs &
load=$!
for ((round = 0; round < rounds; round += 1)); do
  sleep "$between"
  way=${ways[round % 3]}
  member=$(primary)
  echo "round $((round + 1)) of $rounds: $way of $member"
  take_away "$way" "$member"
done
wait "$load"

docker compose exec -T worker node dist/src/cli.js projections:verify
docker compose exec -T worker node dist/src/cli.js audit:verify
