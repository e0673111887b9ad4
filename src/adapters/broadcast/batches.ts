interface Waiting<Item> {
  readonly item: Item;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

const most = 500;

/** Sends one batch at a time, in the order of `add`. Items added during a batch go into the next one. */
export class Batches<Item> {
  private readonly waiting: Waiting<Item>[] = [];
  private sending: Promise<void> | undefined;

  constructor(private readonly send: (items: readonly Item[]) => Promise<void>) {}

  add(item: Item): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.sending ??= this.sendAll();
    });
  }

  async settled(): Promise<void> {
    await this.sending;
  }

  private async sendAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, most);
      try {
        await this.send(batch.map(({ item }) => item));
        for (const { resolve } of batch) resolve();
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.sending = undefined;
  }
}
