import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';

/** These make outgoing requests or only compute, so they do not count (Sites API, Code context 5). */
const free: readonly string[] = ['fetch', 'secrets.verifyHmac'];

export const isCounted = (name: string): boolean => !free.includes(name);

/** Limits how many calls one run may make to these capabilities together. */
export function withinBudget(capabilities: readonly Capability[], most: number): readonly Capability[] {
  let used = 0;
  return capabilities.map((capability) =>
    isCounted(capability.name)
      ? {
          name: capability.name,
          call: async (args, caller) => {
            used += 1;
            if (used <= most) return capability.call(args, caller);
            throw new CapabilityRefused(
              `This run has made its ${most} platform calls, which is what the plan allows; do more with each call.`,
              'call-limit',
              429,
            );
          },
        }
      : capability,
  );
}
