// Run by mongosh on the first member while it is the primary. Adds the other members to its set, one after the other,
// and waits until all three have the data.
const passing = ['CurrentConfigNotCommittedYet', 'ConfigurationInProgress'];
for (const host of ['mongodb-2:27017', 'mongodb-3:27017']) {
  while (!rs.conf().members.some((member) => member.host === host)) {
    try {
      rs.add(host);
    } catch (error) {
      // A majority does not know the previous change yet.
      if (!passing.includes(error.codeName)) throw error;
    }
    sleep(500);
  }
}
const primary = 1;
const secondary = 2;
while (!rs.status().members.every(({ state }) => state === primary || state === secondary)) sleep(500);
