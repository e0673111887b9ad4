import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { EmbeddedTexts } from '../../../src/adapters/texts/embedded/embedded-texts.adapter.js';
import { TextDamaged } from '../../../src/ports/texts.port.js';
import { EmbeddedDirectory } from '../embedded-directory.js';
import { digestOf, longText, textsContract } from './texts.contract.js';

textsContract('embedded', async () => {
  const directories = [new EmbeddedDirectory(), new EmbeddedDirectory()] as const;
  const [{ path: directory }, { path: elsewhere }] = directories;
  let texts = new EmbeddedTexts({ directory });
  return {
    texts,
    reopen: async () => {
      await texts.close();
      texts = new EmbeddedTexts({ directory });
      return texts;
    },
    another: async () => new EmbeddedTexts({ directory: elsewhere }),
    close: async () => {
      await texts.close();
      for (const one of directories) one.remove();
    },
  };
});

describe('texts: embedded, beyond the contract', () => {
  let directory: EmbeddedDirectory;
  let texts: EmbeddedTexts;
  let connection: DatabaseSync | undefined;
  const put = (text: string) => texts.put('ws_a', [{ digest: digestOf(text), text }]);
  const read = async (text: string) => (await texts.get('ws_a', [digestOf(text)])).get(digestOf(text));
  const open = () => {
    const onOpen = (database: DatabaseSync): void => {
      connection = database;
    };
    texts = new EmbeddedTexts({ directory: directory.path, onOpen });
  };
  beforeEach(() => {
    directory = new EmbeddedDirectory();
    open();
  });
  afterEach(async () => {
    await texts.close();
    directory.remove();
  });

  it('has a file that others cannot read', () => {
    expect(statSync(directory.file('texts.db')).mode & 0o777).toBe(0o600);
  });

  it('refuses if the disk is full, and works again when there is room', async () => {
    const [small, large] = [longText(100), longText(300_000)];
    await put(small);
    const pages = Number(connection?.prepare('PRAGMA page_count').get()?.['page_count']);
    connection?.exec(`PRAGMA max_page_count = ${pages + 5}`);
    await expect(put(large)).rejects.toThrow(
      'The store of texts is not available: the disk is full; free some space, and try again.',
    );
    expect(await read(large)).toBeUndefined();
    expect(await read(small)).toBe(small);
    connection?.exec('PRAGMA max_page_count = 1000000');
    await put(large);
    expect((await read(large)) === large).toBe(true);
  });

  it('detects a changed text, and one moved to another digest', async () => {
    const [one, two] = [longText(4_000), longText(4_000)];
    await put(one);
    await put(two);
    await texts.close();
    const file = new DatabaseSync(directory.file('texts.db'));
    file
      .prepare('UPDATE texts SET packed = (SELECT packed FROM texts WHERE digest = ?) WHERE digest = ?')
      .run(digestOf(one), digestOf(two));
    file.prepare("UPDATE texts SET packed = x'00' WHERE digest = ?").run(digestOf(one));
    file.close();
    open();
    await expect(read(one)).rejects.toThrow(TextDamaged);
    await expect(read(two)).rejects.toThrow(TextDamaged);
  });
});
