const everyMs = 60_000;
/** At this number of remembered sentences, all are forgotten. This happens only if something is very wrong. */
const most = 100;

interface Logged {
  readonly at: number;
  suppressed: number;
}

/**
 * Logs a recurring sentence at most once a minute, with the number of repetitions. When a store is unavailable, many
 * callers wait for it, and each would otherwise log every attempt.
 */
export function throttledLog(
  log: (sentence: string) => void,
  now: () => number = Date.now,
): (sentence: string) => void {
  const known = new Map<string, Logged>();
  return (sentence) => {
    const entry = known.get(sentence);
    if (entry !== undefined && now() - entry.at < everyMs) {
      entry.suppressed += 1;
      return;
    }
    if (known.size >= most) known.clear();
    known.set(sentence, { at: now(), suppressed: 0 });
    log(
      entry === undefined || entry.suppressed === 0
        ? sentence
        : `${sentence} (${entry.suppressed} more times since it was last logged)`,
    );
  };
}
