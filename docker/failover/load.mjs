// Calls the service with several callers at once for LOAD_SECONDS. Each caller counts up in the description of its own
// function, and after every accepted change it must read that change or a later one. Exits with 1 if an accepted change
// is lost, or if an answer is neither a success nor "try again".

const { PORT = '3000', LOAD_SECONDS = '60', LOAD_CALLERS = '8', BOOTSTRAP_OWNER_KEY: key } = process.env;
const until = Date.now() + Number(LOAD_SECONDS) * 1_000;
const tryAgain = new Set([429, 503]);
const counts = { accepted: 0, tryAgain: 0, readAgain: 0 };
const wrong = [];

async function call(operation, body) {
  const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/automations/${operation}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  const isBehind = response.headers.has('x-read-model');
  return { status: response.status, isBehind, body: await response.json() };
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 100));

/** Repeats the call until the answer is not "try again". */
async function answered(operation, body) {
  for (;;) {
    const answer = await call(operation, body);
    if (!tryAgain.has(answer.status)) return answer;
    counts.tryAgain += 1;
    await pause();
  }
}

/**
 * The read value may be later than the last accepted one, because a refused change may have been recorded. It must not
 * be earlier.
 */
async function mustRead(id, accepted) {
  for (;;) {
    const { status, isBehind, body } = await answered('getFunction', { id });
    if (status === 200 && Number(body.description) >= accepted) return;
    if (!isBehind) {
      wrong.push(`getFunction: ${status} ${body.description ?? body.code}, after ${accepted} was accepted`);
      return;
    }
    counts.readAgain += 1;
    await pause();
  }
}

async function caller(number) {
  const name = `failover ${number} ${Date.now()}`;
  const made = await answered('createFunction', { name, description: '0', code: 'return 1' });
  if (made.status !== 200) {
    wrong.push(`createFunction: ${made.status} ${made.body.code}`);
    return;
  }
  const { id } = made.body;
  // At least one change, because a busy machine can take longer than LOAD_SECONDS to create the functions.
  for (let next = 1; next === 1 || Date.now() < until; next += 1) {
    const { status, body } = await answered('updateFunction', { id, description: String(next) });
    if (status !== 200) {
      wrong.push(`updateFunction: ${status} ${body.code}`);
      return;
    }
    counts.accepted += 1;
    await mustRead(id, next);
  }
}

await Promise.all(Array.from({ length: Number(LOAD_CALLERS) }, (_, number) => caller(number)));
console.log(JSON.stringify({ ...counts, wrong: wrong.length }));
for (const sentence of wrong.slice(0, 10)) console.error(sentence);
process.exitCode = wrong.length === 0 && counts.accepted > 0 ? 0 : 1;
