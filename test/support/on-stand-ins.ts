import { it } from '@jest/globals';

const isNamed = (variable: string) => (process.env[variable] ?? '') !== '';

/** Declare tests that take an engine away. Only a stand-in allows that, so they are skipped with a real engine. */
export const itTakesAway = {
  eventStoreDb: isNamed('EVENTSTOREDB_URL') ? it.skip : it,
  mongo: isNamed('MONGODB_URL') ? it.skip : it,
} as const;

/** Returns the stand-in, in a test that `itTakesAway` declared. */
export function standIn<Server>(server: Server | undefined): Server {
  if (server === undefined) throw new Error('A real engine cannot be taken away.');
  return server;
}
