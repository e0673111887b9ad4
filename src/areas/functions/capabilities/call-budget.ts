import { type Capability, CapabilityRefused } from '../../../ports/sandbox.port.js';

/** These reach outside or only compute, and count for nothing (Sites API, Code context 5). */
const free: readonly string[] = ['fetch', 'secrets.verifyHmac'];

export const isCounted = (name: string): boolean => !free.includes(name);

/** Capabilities that together may be called so many times in one run. */
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
