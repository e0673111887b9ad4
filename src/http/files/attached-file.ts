/** Returns headers with which browsers save the content and never display it or run scripts in it. */
export function attached(name: string): Record<string, string> {
  const last = name.slice(name.lastIndexOf('/') + 1);
  const plain = last.replace(/[^\w !#$&+.^`|~()-]/g, '_');
  const encoded = encodeURIComponent(last.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return {
    'Content-Disposition': `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`,
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
  };
}
