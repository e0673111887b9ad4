export class SiteError extends Error {
  override readonly name = 'SiteError';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

export async function errorOf(response: Response): Promise<SiteError> {
  const said: unknown = await response.json().catch(() => undefined);
  const { code, detail, error } = (typeof said === 'object' && said !== null ? said : {}) as Record<string, unknown>;
  const message = [detail, error].find((one) => typeof one === 'string');
  const fallback = response.status === 422 && typeof error === 'string' ? 'function-failed' : 'failed';
  return new SiteError(
    response.status,
    typeof code === 'string' ? code : fallback,
    typeof message === 'string' ? message : `The site answered with status ${response.status}.`,
  );
}
