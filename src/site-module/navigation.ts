import type { navigate as Navigate } from './site.js';
import { currentSite } from './visit.js';

type Go = (url: URL, options: { readonly replace: boolean }) => void;

const load: Go = (url, { replace }) => (replace ? location.replace(url) : location.assign(url));
let go: Go = load;

export function navigateBy(other: Go): void {
  go = other;
}

export function hrefOf(path: string): string {
  const base = currentSite()?.base ?? '';
  return path.startsWith('/') && !path.startsWith('//') ? `${base}${path}` : path;
}

export const navigate: typeof Navigate = (path, { replace = false } = {}) => {
  const url = new URL(hrefOf(path), location.href);
  if (url.origin === location.origin) go(url, { replace });
  else load(url, { replace });
};
