type Raw = Readonly<Record<string, string | undefined>>;

/** Each URL contains `{id}` in place of the id of the site's account. */
export interface AnalyticsSources {
  readonly primary: string;
  readonly secondary: string;
}

/**
 * Source: sites supplement, 5.
 * @throws Error with a sentence that names the variable
 */
export const readAnalyticsSources = (raw: Raw): AnalyticsSources => ({
  primary: source(raw, 'ANALYTICS_PRIMARY_SRC', 'https://www.googletagmanager.com/gtag/js?id={id}'),
  secondary: source(raw, 'ANALYTICS_SECONDARY_SRC', 'https://www.clarity.ms/tag/{id}'),
});

function source(raw: Raw, name: string, otherwise: string): string {
  const text = raw[name] || otherwise;
  const parsed = URL.parse(text);
  if (parsed !== null && /^https?:$/.test(parsed.protocol) && !parsed.host.includes('{') && text.includes('{id}'))
    return text;
  throw new Error(`${name} must be an http or https address with {id} in its path or query.`);
}
