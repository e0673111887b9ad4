import type { Project } from '../../../areas/sites/project/project.record.js';

/** Paths of the platform's sign-in pages, by the keys of `authPaths`. */
export const stepPaths = {
  login: '/login',
  signup: '/signup',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  verifyEmail: '/verify-email',
} as const;

export type SignInStep = keyof typeof stepPaths;
const steps = Object.keys(stepPaths) as readonly SignInStep[];

/**
 * Returns the sign-in step at a path, which is the platform's own path or that of `authPaths`. `path` is as sent,
 * without its query.
 */
export function signInStepAt(path: string, { authPaths }: Pick<Project, 'authPaths'>): SignInStep | undefined {
  const isNamed = (step: SignInStep) => {
    const named = authPaths[step];
    return named !== undefined && pathnameOf(named) === path;
  };
  return steps.find((step) => stepPaths[step] === path) ?? steps.find(isNamed);
}

/** Returns the pathname of a path of the site, with or without a query, as browsers send it. */
export const pathnameOf = (path: string): string => new URL(path, 'http://site').pathname;
