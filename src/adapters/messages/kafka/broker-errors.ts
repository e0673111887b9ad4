/** kafkajs wraps such an error in one or more errors of its own. */
export interface BrokerError extends Error {
  readonly type?: string;
  readonly retriable?: boolean;
}

/** Only an operator can resolve these errors. kafkajs also treats many temporary ones as final. */
const finalTypes: ReadonlySet<string> = new Set([
  'TOPIC_AUTHORIZATION_FAILED',
  'GROUP_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SECURITY_DISABLED',
  'UNSUPPORTED_SASL_MECHANISM',
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_PARTITIONS',
  'INVALID_CONFIG',
  'INVALID_REQUEST',
  'POLICY_VIOLATION',
]);

export const isFinal = ({ type, retriable }: BrokerError): boolean =>
  retriable !== true && type !== undefined && finalTypes.has(type);

export const typeIn = (error: unknown): string | undefined => brokerErrorIn(error)?.type;

export function brokerErrorIn(error: unknown): BrokerError | undefined {
  if (!(error instanceof Error)) return undefined;
  if (typeof (error as BrokerError).type === 'string') return error;
  const { errors, originalError } = error as { readonly errors?: readonly unknown[]; readonly originalError?: unknown };
  return brokerErrorIn(errors?.[0]) ?? brokerErrorIn(originalError) ?? brokerErrorIn(error.cause);
}
