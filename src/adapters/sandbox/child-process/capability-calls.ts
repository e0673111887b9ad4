import type { Json } from '../../../kernel/json/json.js';
import { isTooDeep } from '../../../kernel/json/json-depth.js';
import {
  type CallingRun,
  type Capability,
  CapabilityRefused,
  RunEnded,
} from '../../../ports/offloaded/sandbox.port.js';
import { LIMITS } from '../../../sandbox/limits.js';

export interface CallAnswer {
  readonly ok: boolean;
  /** JSON of the value, or of an error's message, code and status and sometimes its fields or a decision's id. */
  readonly text: string;
  /** Reason why the call ends the run, if it does. */
  readonly ends?: string;
  /** Milliseconds that it took to write the text. */
  readonly writtenInMs: number;
}

/** Answers one call of the guest. Never rejects, and hides details of failures that are not meant for the guest. */
export async function answerCall(
  capabilities: readonly Capability[],
  name: string,
  args: readonly Json[],
  caller: CallingRun,
): Promise<CallAnswer> {
  // Time at which writing the answer began.
  let from: number | undefined;
  const writtenInMs = () => (from === undefined ? 0 : performance.now() - from);
  try {
    const capability = capabilities.find((known) => known.name === name);
    if (!capability) throw new CapabilityRefused(`There is no ${name.slice(0, 100)}.`, 'unknown', 404);
    if (isTooDeep(args, LIMITS.depth))
      throw new CapabilityRefused('The arguments are nested too deeply.', 'too-deep', 400);
    const value = await capability.call(args, caller);
    from = performance.now();
    const text = JSON.stringify(value ?? null);
    if (Buffer.byteLength(text) > LIMITS.callAnswer)
      throw new CapabilityRefused('The answer is more than 5 MB; ask for less.', 'too-large', 413);
    return { ok: true, text, writtenInMs: writtenInMs() };
  } catch (error) {
    if (error instanceof RunEnded) return { ok: false, text: 'null', writtenInMs: 0, ends: error.message };
    const { message, code, status, fields, decisionId } =
      error instanceof CapabilityRefused ? error : new CapabilityRefused('The call failed.', 'failed', 500);
    return {
      ok: false,
      text: JSON.stringify({ message, code, status, fields, decisionId }),
      writtenInMs: writtenInMs(),
    };
  }
}
