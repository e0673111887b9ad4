const everyMs = 60_000;
/** How many sentences are remembered. There are only a few kinds, unless something is very wrong. */
const most = 100;

interface Said {
  readonly at: number;
  unsaid: number;
}

/**
 * Says a new sentence at once, and a recurring one once a minute with the number of repetitions. When a store is
 * unavailable, many callers wait for it, and each would otherwise say so on every attempt.
 */
export function throttledLog(
  say: (sentence: string) => void,
  now: () => number = Date.now,
): (sentence: string) => void {
  const known = new Map<string, Said>();
  return (sentence) => {
    const said = known.get(sentence);
    if (said !== undefined && now() - said.at < everyMs) {
      said.unsaid += 1;
      return;
    }
    if (known.size >= most) known.clear();
    known.set(sentence, { at: now(), unsaid: 0 });
    say(
      said === undefined || said.unsaid === 0
        ? sentence
        : `${sentence} (${said.unsaid} times more since it was last said)`,
    );
  };
}
