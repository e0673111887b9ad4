/** Longest pause between two attempts, in milliseconds. The first pauses are shorter, because most conditions are soon met. */
const longestPause = 25;

/** Calls `ask` until its result meets the condition. For results of sagas and other background work. */
export async function eventually<T>(
  ask: () => Promise<T>,
  holds: (value: T) => boolean,
  withinMs = 30_000,
): Promise<T> {
  const until = Date.now() + withinMs;
  for (let pause = 4; ; pause = Math.min(2 * pause, longestPause)) {
    const value = await ask();
    if (holds(value)) return value;
    if (Date.now() > until) throw new Error(`Still not so after ${withinMs} ms: ${JSON.stringify(value)}`);
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}
