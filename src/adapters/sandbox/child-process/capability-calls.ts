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
  /** The value as JSON or, if the call failed, an object with the error's message, code and status. */
  readonly text: string;
  readonly ends?: string;
  readonly writtenInMs: number;
}

/** Never rejects. Hides the details of failures that the guest must not see. */
export async function answerCall(
  capabilities: readonly Capability[],
  name: string,
  args: readonly Json[],
  caller: CallingRun,
): Promise<CallAnswer> {
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
