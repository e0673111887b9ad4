import { homePath } from './page.js';

/** The home page of a new project: small, and it can be published as it is. */
export const starterPage = (projectId: string, name: string) => ({
  projectId,
  name: 'Home',
  path: homePath,
  title: name.slice(0, 60),
  isHomePage: true,
  content: `export default function Home() {
  return (
    <main className="mx-auto max-w-2xl p-8">
      <h1 className="text-3xl font-bold">{${JSON.stringify(name)}}</h1>
      <p className="mt-4">This is the first page of your site.</p>
    </main>
  );
}
`,
});
