import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { isJSONRPCRequest, type JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';

export type McpMessage = JSONRPCMessage;

/**
 * Passes the messages of one request to the SDK. The SDK's own HTTP transport would create web-standard request and
 * response objects, which takes as much time as most operations.
 */
export class ExchangeTransport implements Transport {
  onmessage?: NonNullable<Transport['onmessage']>;
  onclose?: () => void;
  private readonly sent: McpMessage[] = [];
  private readonly done = Promise.withResolvers<readonly McpMessage[]>();
  private open: number;

  constructor(
    private readonly messages: readonly McpMessage[],
    private readonly notify: (message: McpMessage) => void = () => {},
  ) {
    this.open = messages.filter(isJSONRPCRequest).length;
  }

  async start(): Promise<void> {}

  async send(message: McpMessage): Promise<void> {
    this.notify(message);
    if ('method' in message) return;
    this.sent.push(message);
    this.open -= 1;
    if (this.open === 0) this.done.resolve(this.sent);
  }

  async close(): Promise<void> {
    this.onclose?.();
  }

  answers(): Promise<readonly McpMessage[]> {
    if (this.open === 0) this.done.resolve(this.sent);
    for (const message of this.messages) this.onmessage?.(message);
    return this.done.promise;
  }
}
