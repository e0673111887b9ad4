import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** In these specs, Maven is a script. */
describe("the cache of Kafka's jars", () => {
  let folder: string;
  let cache: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'kafka-jars-'));
    cache = join(folder, 'cache', 'countersign-tests');
    mkdirSync(join(folder, 'bin'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const mavenDoes = (script: string) =>
    writeFileSync(join(folder, 'bin', 'mvn'), `#!/bin/bash\necho "$@" >> '${folder}/asked'\n${script}\n`, {
      mode: 0o755,
    });
  const asked = () => readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n');

  const fetchJars = async () => {
    const module = join(import.meta.dirname, 'kafka-jars.ts');
    const code = `const { kafkaClassPath } = await import('${module}'); console.log(kafkaClassPath('4.1'));`;
    const env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, XDG_CACHE_HOME: join(folder, 'cache') };
    const words = ['--no-warnings', '--input-type=module', '-e', code];
    const child = spawn(process.execPath, words, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
    await once(child, 'close');
    return said.trim();
  };
  const jars = () => join(cache, 'kafka-4.1.0');
  const makesJars = 'mkdir jars; for i in 1 2 3; do sleep 0.1; echo $i > jars/$i.jar; done';

  it("is filled once, with files that have the publisher's checksums", async () => {
    mavenDoes(makesJars);
    expect(await fetchJars()).toBe(join(jars(), '*'));
    expect(await fetchJars()).toBe(join(jars(), '*'));
    expect(readdirSync(jars())).toEqual(['1.jar', '2.jar', '3.jar']);
    expect(asked()).toEqual([expect.stringContaining('--strict-checksums')]);
    expect(readdirSync(cache)).toEqual(['kafka-4.1.0']);
  });

  it('is filled by several processes at once without conflicts', async () => {
    mavenDoes(makesJars);
    const said = await Promise.all([fetchJars(), fetchJars(), fetchJars()]);
    expect(said).toEqual(said.map(() => join(jars(), '*')));
    expect(readdirSync(jars())).toEqual(['1.jar', '2.jar', '3.jar']);
    expect(readdirSync(cache)).toEqual(['kafka-4.1.0']);
    const repositories = asked().map((words) => /-Dmaven\.repo\.local=(\S+)/.exec(words)?.[1]);
    expect(new Set(repositories).size).toBe(repositories.length);
  });

  it('retains nothing of a fetch that failed halfway', async () => {
    mavenDoes('mkdir jars; echo 1 > jars/1.jar; echo "Checksum validation failed" >&2; exit 1');
    expect(await fetchJars()).toContain('Checksum validation failed');
    expect(readdirSync(cache)).toEqual([]);
    mavenDoes(makesJars);
    expect(await fetchJars()).toBe(join(jars(), '*'));
  });

  it('ignores the rest of a killed fetch, and deletes it later', async () => {
    mavenDoes(`mkdir jars; echo 1 > jars/1.jar; kill -9 $PPID`);
    await fetchJars();
    expect(existsSync(jars())).toBe(false);
    const [left = ''] = readdirSync(cache);
    expect(left).toMatch(/^fetching-/);
    utimesSync(join(cache, left), new Date(0), new Date(0));
    mavenDoes(makesJars);
    expect(await fetchJars()).toBe(join(jars(), '*'));
    expect(readdirSync(cache)).toEqual(['kafka-4.1.0']);
  });
});
