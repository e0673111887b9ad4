import type { Trackers } from './analytics.js';

/**
 * Scripts may come from the site itself, from the page (with the nonce) and from the analytics providers. Images,
 * fonts, media, frames and connections may come from anywhere over TLS. Style attributes are allowed (Sites supplement,
 * Pages, build, publish).
 */
export function pageHeaders(nonce: string, { scripts }: Trackers): Readonly<Record<string, string>> {
  const origins = [...new Set(scripts.map(({ src }) => new URL(src).origin))];
  const policy = [
    "default-src 'self'",
    ["script-src 'self'", `'nonce-${nonce}'`, ...origins].join(' '),
    "style-src 'self'",
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' https: data: blob:",
    "font-src 'self' https: data:",
    "media-src 'self' https: data: blob:",
    "frame-src 'self' https:",
    "connect-src 'self' https:",
    "worker-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ];
  return {
    'Content-Security-Policy': policy.join('; '),
    'Referrer-Policy': 'strict-origin-when-cross-origin',
    // Shared caches must not store pages, because pages contain a nonce and data about this visitor.
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie',
  };
}
