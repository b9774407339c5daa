/**
 * Loaded into a server process: measures the processor time of its longest turn of the event loop. Unlike a wait, this
 * time does not depend on the load of the machine. At SIGUSR2 it prints the time in milliseconds and starts again.
 */
let last = process.threadCpuUsage();
let longest = 0;

setInterval(() => {
  const { user, system } = process.threadCpuUsage(last);
  longest = Math.max(longest, user + system);
  last = process.threadCpuUsage();
}, 1).unref();

process.on('SIGUSR2', () => {
  console.log(JSON.stringify({ longestTurnMilliseconds: longest / 1000 }));
  longest = 0;
});
