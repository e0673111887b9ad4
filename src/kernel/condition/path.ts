/** A key of the sender's own making is shown short and on one line. */
export function within(path: string, key: string): string {
  const shown = /^[\w-]{1,60}$/.test(key) ? key : JSON.stringify(key.slice(0, 60));
  return path === '' ? shown : `${path}.${shown}`;
}

/** The path of what stands in a policy, as if it stood in the place of the reference. */
export function below(path: string, inner: string): string {
  return path === '' || inner === '' || inner.startsWith('[') ? path + inner : `${path}.${inner}`;
}
