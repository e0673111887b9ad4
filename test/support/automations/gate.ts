import { TestServer } from '../egress/test-server.js';

/** Keeps functions with its code running until it is opened. The service must be allowed to reach loopback. */
export class Gate {
  isOpen = false;

  private constructor(private readonly server: TestServer) {}

  static async start(): Promise<Gate> {
    const gate: Gate = new Gate(
      await TestServer.http((_, response) => response.writeHead(gate.isOpen ? 200 : 503).end()),
    );
    return gate;
  }

  /** Code that asks again until the gate is open, because a request may be aborted if the spec moves the clock. */
  get code(): string {
    return `
      const isOpen = () => ctx.fetch('${this.server.url()}').then(({ ok }) => ok, () => false);
      while (!(await isOpen())) await new Promise((resolve) => setTimeout(resolve, 20));`;
  }

  close(): Promise<void> {
    return this.server.close();
  }
}
