const everyMs = 60_000;
/** Sentences remembered; they are of a few kinds, unless something is very wrong. */
const most = 100;

interface Said {
  readonly at: number;
  unsaid: number;
}

/**
 * Says a sentence that is new at once, and one that goes on coming once a minute with how often it came meanwhile: when
 * a store is away, many wait for it and each would say so with every attempt.
 */
export function seldom(say: (sentence: string) => void, now: () => number = Date.now): (sentence: string) => void {
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
