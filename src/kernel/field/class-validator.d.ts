// The package's index loads 320 modules (5 MB, a twentieth of the start time). The service therefore imports single
// checks from their own files, for which the package has no types.
declare module 'class-validator/cjs/decorator/*' {
  export * from 'class-validator';
}
