// How much of the processor a process has used, in milliseconds.
export function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
