import { projections } from '../../projections/projections.js';
import { ProjectionMaintenance } from '../engine/projections/projection-maintenance.js';
import { ScratchReadStores } from '../engine/projections/scratch-read-stores.js';
import { areaNameOf } from '../engine/read-models/read-models.js';
import type { Projection } from '../kernel/record/projection.js';
import { ServiceLock } from '../ports/service-lock.port.js';
import { assemble } from '../start.js';
import type { Invocation } from './invocation.js';
import { inScratchFolder } from './scratch-folder.js';

/** In the output, `together` is true if the read model shares its checkpoint with the other read models of its area. */
export async function list({ environment, console }: Invocation): Promise<number> {
  const app = await assemble(environment, false);
  try {
    await app.init();
    for (const status of await app.get(ProjectionMaintenance).list(projections)) console.out(JSON.stringify(status));
    return 0;
  } finally {
    await app.close();
  }
}

export async function rebuild({ words: [name], environment, console }: Invocation): Promise<number> {
  const chosen = choose(name);
  const app = await assemble(environment, false);
  try {
    await app.init();
    await app.get(ServiceLock).acquire();
    await app.get(ProjectionMaintenance).rebuild(chosen, (sentence) => console.error(sentence));
    for (const { name: rebuilt } of chosen) console.out(`${rebuilt}: rebuilt`);
    return 0;
  } finally {
    await app.close();
  }
}

export function verify({ words: [name], environment, console }: Invocation): Promise<number> {
  const chosen = choose(name);
  return inScratchFolder((folder) => verifyIn(folder, chosen, { environment, console }));
}

async function verifyIn(
  folder: string,
  chosen: readonly Projection[],
  { environment, console }: Pick<Invocation, 'environment' | 'console'>,
): Promise<number> {
  const app = await assemble(environment, false);
  const scratch = app.get(ScratchReadStores).open(folder);
  try {
    await app.init();
    let different = 0;
    for (const projection of chosen) {
      const { position, equal } = await app.get(ProjectionMaintenance).verify(projection, scratch);
      console.out(`${projection.name}: ${equal ? 'equal' : 'DIFFERENT'} at position ${position}`);
      if (!equal) different++;
    }
    if (different > 0)
      console.error(`${different} read models differ from the log; rebuild them with projections:rebuild.`);
    return different > 0 ? 1 : 0;
  } finally {
    await scratch.close();
    await app.close();
  }
}

function choose(name: string | undefined): readonly Projection[] {
  if (name === undefined) return projections;
  const areaOf = ({ area }: Projection) => (area === undefined ? [] : [areaNameOf(area)]);
  const found = projections.filter((one) => one.name === name || areaOf(one).includes(name));
  if (found.length > 0) return found;
  const names = [...new Set([...projections.map((one) => one.name), ...projections.flatMap(areaOf)])];
  throw new Error(`There is no projection '${name}'; the projections are: ${names.join(', ')}.`);
}
