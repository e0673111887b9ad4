import type { Type } from '@nestjs/common';
import { assemble } from '../start.js';
import type { Invocation } from './invocation.js';

/**
 * Runs `work`, even while the service is running. Within a second, the service reads the events that `work` has
 * recorded.
 */
export async function besideService<Part, Result>(
  environment: Invocation['environment'],
  part: Type<Part>,
  work: (part: Part) => Promise<Result>,
): Promise<Result> {
  const app = await assemble(environment, false);
  try {
    await app.init();
    return await work(app.get(part));
  } finally {
    await app.close();
  }
}
