package io.fairlead.cli.measure;

import java.util.stream.Collectors;
import java.util.stream.DoubleStream;

/** A side whose turns are {@link Work}, which it leads or follows. */
public abstract class WorkSide implements Side {
    private static final String LEAD = "lead ";
    static final String FOLLOW = "follow ";

    /** The turn of a side that leads. */
    public static String lead(Work work) {
        return LEAD + work.text();
    }

    private final Laps laps = new Laps();

    /** Prepares a turn, before the other side sends anything of it. */
    protected void begin(Work work, boolean leads) {}

    /** Runs operations, and starts and stops the clock around them. */
    protected abstract void lead(Work work, Laps times);

    /** Does what the leading side's operations need. */
    protected abstract void follow(Work work);

    /** Lets what was sent leave, before this side has nothing to do until its next turn. */
    protected void finish() {}

    /** When it began and ended, the processor's time, the bytes allocated, and the percentiles, as {@link Pair} reads them. */
    @Override
    public String turn(String line, Runnable begun) {
        boolean leads = line.startsWith(LEAD);
        Work work = Work.parse(line.substring(line.indexOf(' ') + 1));
        laps.reset(work);
        begin(work, leads);
        long processorNs = Jvm.processorNs();
        begun.run();
        long allocated = Jvm.allocated();
        if (leads) {
            lead(work, laps);
        } else {
            laps.start();
            follow(work);
            laps.stop();
        }
        allocated = Jvm.allocated() - allocated;
        finish();
        return laps.startNs() + " " + laps.endNs() + " " + (Jvm.processorNs() - processorNs) + " " + allocated + " "
                + DoubleStream.of(50, 90, 99, 99.9, 100)
                        .mapToObj(percent -> String.valueOf(laps.percentileUs(percent)))
                        .collect(Collectors.joining(" "));
    }
}
