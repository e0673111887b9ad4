import { randomBytes, randomUUID } from 'node:crypto';

const PARTS = [
  'href',
  'protocol',
  'username',
  'password',
  'host',
  'hostname',
  'port',
  'pathname',
  'search',
  'hash',
  'origin',
] as const;

/** @throws Error if the input is invalid */
export function answerHelper(kind: unknown, first: unknown, second: unknown, third: unknown): string | undefined {
  switch (kind) {
    case 'uuid':
      return randomUUID();
    case 'random':
      return randomBytes(Math.min(Math.max(0, Number(first)), 65_536)).toString('latin1');
    case 'atob':
      return atob(`${first}`);
    case 'btoa':
      return btoa(`${first}`);
    case 'url':
      return partsOf(new URL(`${first}`, second === undefined ? undefined : `${second}`));
    case 'change url': {
      const url = new URL(`${first}`);
      const name = PARTS.find((part) => part === second);
      if (name && name !== 'origin') url[name] = `${third}`;
      return partsOf(url);
    }
    default:
      return undefined;
  }
}

function partsOf(url: URL): string {
  return JSON.stringify(Object.fromEntries(PARTS.map((part) => [part, url[part]])));
}
