/**
 * The service worker stores only scripts and style sheets that are marked `immutable`, which anyone may load. So it
 * cannot show one visitor content that was meant for another.
 */
export const serviceWorker = (base: string): string => `const cacheName = 'site-assets-1';
const assets = ${JSON.stringify(`${base}/_site/`)};
const mostAssets = 300;
addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin) return;
  if (request.mode === 'navigate') event.respondWith(fetch(request).catch(() => offline()));
  else if (pathname.startsWith(assets) && !request.headers.has('range')) event.respondWith(asset(request));
});
async function asset(request) {
  const cache = await caches.open(cacheName);
  const found = await cache.match(request);
  if (found) return found;
  const answer = await fetch(request);
  const control = answer.headers.get('cache-control') ?? '';
  if (answer.status === 200 && control.includes('immutable')) {
    await cache.put(request, answer.clone());
    const names = await cache.keys();
    await Promise.all(names.slice(0, Math.max(0, names.length - mostAssets)).map((name) => cache.delete(name)));
  }
  return answer;
}
const offline = () => new Response('<!doctype html><meta charset="utf-8"><title>Offline</title><p>There is no connection. Try again.</p>', {
  status: 503,
  headers: { 'content-type': 'text/html; charset=utf-8' },
});
`;
