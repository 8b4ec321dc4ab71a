// One subject in a process of its own: what a node costs it, in CPU of the whole process. Microseconds.
export async function measured(run) {
  const { nodes, runs } = JSON.parse(process.argv[2]);
  await run(nodes, 'warm');
  const before = process.cpuUsage();
  for (let i = 0; i < runs; i += 1) await run(nodes, `run ${i}`);
  const { user, system } = process.cpuUsage(before);
  console.log(JSON.stringify({ cost: (user + system) / (nodes * runs) }));
  process.exit(0);
}
