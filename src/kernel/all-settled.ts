/** Like `Promise.all`, but if one promise rejects, waits for all others before it rejects. */
export async function allSettled<Value>(promises: readonly Promise<Value>[]): Promise<readonly Value[]> {
  await Promise.allSettled(promises);
  return Promise.all(promises);
}
