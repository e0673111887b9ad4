/** Keys come from the sender, so they are shortened and made one line. */
export function pathWithin(path: string, key: string): string {
  const shown = /^[\w-]{1,60}$/.test(key) ? key : JSON.stringify(key.slice(0, 60));
  return path === '' ? shown : `${path}.${shown}`;
}

export function below(path: string, inner: string): string {
  return path === '' || inner === '' || inner.startsWith('[') ? path + inner : `${path}.${inner}`;
}
