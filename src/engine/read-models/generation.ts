import type { Projection } from '../../kernel/record/projection.js';

export function isOfVersion({ version }: Projection, generation: string | undefined): boolean {
  return generation?.startsWith(`v${version}_`) ?? false;
}

export const firstGeneration = ({ version }: Projection): string => `v${version}_0`;

/** A new build never has the name of the active one: `v2_1` follows `v2_0`. */
export function nextGeneration(projection: Projection, active: string | undefined): string {
  if (active === undefined || !isOfVersion(projection, active)) return firstGeneration(projection);
  const [version, number] = active.split('_');
  return `${version}_${Number(number) + 1}`;
}
