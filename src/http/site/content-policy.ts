import type { Trackers } from './analytics.js';

/**
 * The headers of every page (Sites supplement, Pages, build, publish): scripts of the site itself and those with the
 * nonce, and those of trackers; pictures, fonts, media, frames and connections from anywhere over TLS; style attributes.
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
    // The nonce is of this answer alone, and what stands in the page is of this visitor.
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie',
  };
}
