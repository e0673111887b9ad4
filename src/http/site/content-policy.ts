import type { Trackers } from './analytics.js';

/**
 * Returns the headers of every page (Sites supplement, Pages, build, publish). They allow scripts of the site itself,
 * scripts with the nonce, and scripts of trackers; images, fonts, media, frames and connections from anywhere over TLS;
 * and style attributes.
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
    // The nonce is valid for this response alone, and the page's content is for this visitor.
    'Cache-Control': 'private, no-cache',
    Vary: 'Cookie',
  };
}
