/** Any server that supports OpenAI's chat-completions protocol works. */
export interface AssistantSettings {
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
}

type Raw = Readonly<Record<string, string | undefined>>;

/** @throws Error with a sentence that names the variable and shows no value */
export function readAssistantSettings(raw: Raw): AssistantSettings | undefined {
  const url = raw['ASSISTANT_URL'];
  if (!url) return undefined;
  const address = URL.parse(url);
  if (address === null || !/^https?:$/.test(address.protocol))
    throw new Error('ASSISTANT_URL must be an http or https address such as https://api.openai.com/v1.');
  if (address.username !== '' || address.password !== '' || address.hash !== '')
    throw new Error('ASSISTANT_URL must not contain a user, a password or a #; use ASSISTANT_KEY for the key.');
  const key = raw['ASSISTANT_KEY'] || undefined;
  // Checked here, because the HTTP client would show an invalid header value in its error.
  if (key !== undefined && !/^[\x21-\x7e]{1,4000}$/.test(key))
    throw new Error('ASSISTANT_KEY must be printable ASCII characters without spaces.');
  const model = raw['ASSISTANT_MODEL'];
  if (model) return { url, key, model };
  throw new Error('ASSISTANT_MODEL must be set to a model, because ASSISTANT_URL is set.');
}
