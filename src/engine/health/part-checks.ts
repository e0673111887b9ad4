/**
 * Time, in milliseconds, for which a part that works is not checked again. Checks write to the stores, and anyone who
 * reaches the process may ask for its state.
 */
const trustedMs = 1_000;

interface Checked {
  readonly state: Promise<string>;
  trustedUntil: number;
}

/** Requests that arrive during a check share it. A part that failed is checked again at the next request. */
export class PartChecks {
  private readonly checked = new Map<string, Checked>();

  /** @param now returns milliseconds that never decrease */
  constructor(private readonly now = () => performance.now()) {}

  /** @returns 'ok', or the reason why the part does not work */
  async stateOf(part: string, check: () => Promise<void>): Promise<string> {
    const known = this.checked.get(part);
    if (known !== undefined && this.now() < known.trustedUntil) return known.state;
    const made: Checked = { state: outcomeOf(check), trustedUntil: Number.POSITIVE_INFINITY };
    this.checked.set(part, made);
    const state = await made.state;
    made.trustedUntil = state === 'ok' ? this.now() + trustedMs : 0;
    return state;
  }
}

async function outcomeOf(check: () => Promise<void>): Promise<string> {
  try {
    await check();
    return 'ok';
  } catch (error) {
    return error instanceof Error ? error.message : 'The check failed without a reason.';
  }
}
