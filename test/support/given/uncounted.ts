import type { RecordingQuota } from '../../../src/engine/quotas/recording-quota.js';

/** A quota that counts nothing, for specs of code that writes journals. */
export const uncounted = {
  recorded: () => undefined,
  mustHaveRoom: async () => undefined,
} as unknown as RecordingQuota;
