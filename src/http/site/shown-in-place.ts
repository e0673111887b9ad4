const inPlace = /^(?:image|font|audio|video)\/|^application\/(?:pdf|font-[\w-]+|vnd\.ms-fontobject)$|^text\/plain$/;
const markup = /[+/](?:xml|html|xhtml)$/;

/**
 * Whether a browser may display a file of this type: images, fonts, audio, video, PDF and plain text. In all other
 * types, including SVG, scripts could run on the site's origin.
 */
export function isShownInPlace(contentType: string): boolean {
  const [type = ''] = contentType.toLowerCase().split(';', 1);
  return inPlace.test(type.trim()) && !markup.test(type.trim());
}
