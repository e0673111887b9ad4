import { it } from '@jest/globals';

const isNamed = (variable: string) => (process.env[variable] ?? '') !== '';

/** Tests that take an engine away, which only a stand-in lets them: skipped where a real one is named. */
export const itTakesAway = {
  eventStoreDb: isNamed('EVENTSTOREDB_URL') ? it.skip : it,
  mongo: isNamed('MONGODB_URL') ? it.skip : it,
} as const;

/** Within such a test. */
export function standIn<Server>(server: Server | undefined): Server {
  if (server === undefined) throw new Error('A real engine cannot be taken away.');
  return server;
}
