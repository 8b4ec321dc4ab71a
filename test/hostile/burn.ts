// Uses as much of the processor as somebody else did, and nothing else: what a core that is shared costs is no one's harm.
const share = Number(process.argv[2]);
const period = 10;
let owed = 0;
let since = performance.now();

setInterval(() => {
  const now = performance.now();
  // Whoever was kept from the processor does not catch up for ever.
  owed = Math.min(owed + (now - since) * share, period * 5);
  since = now;
  const before = process.cpuUsage();
  const used = (): number => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
  while (used() < owed) for (let i = 0; i < 10_000; i += 1) Math.sqrt(i);
  owed -= used();
}, period);
process.on('disconnect', () => process.exit(0));
