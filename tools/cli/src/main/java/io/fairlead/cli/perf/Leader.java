package io.fairlead.cli.perf;

/**
 * The leading side of one contestant, as a run directs it: one test after the other, each opened, timed round by round, and ended. The following
 * side is a {@link PerfServer}. Belongs to one thread.
 */
interface Leader {
    /**
     * What a round has come to.
     *
     * @param medianUs the median time, half of it for round trips; 0 for tests of rates
     * @param meanUs the round's time over its operations, half of it for round trips
     * @param rate operations per second
     * @param allocated heap bytes, of the side that allocates more
     */
    record Round(double medianUs, double meanUs, double rate, long allocated) {
        private static final double NS_PER_SECOND = 1e9;

        /** How long it took with that many operations. */
        long tookNs(long count) {
            return (long) (count / rate * NS_PER_SECOND);
        }

        /** As {@link #parse} reads it, without loss. */
        String format() {
            return medianUs + " " + meanUs + " " + rate + " " + allocated;
        }

        /**
         * Reads what {@link #format} has written.
         *
         * @throws IllegalArgumentException for anything else
         */
        static Round parse(String text) {
            String[] figures = figures(text);
            return new Round(
                    Double.parseDouble(figures[0]),
                    Double.parseDouble(figures[1]),
                    Double.parseDouble(figures[2]),
                    Long.parseLong(figures[3]));
        }
    }

    /** Times of all rounds since {@link #time}, in microseconds; 0 for tests of rates. */
    record Percentiles(double p90, double p99, double p999, double max) {
        /** As {@link #parse} reads it, without loss. */
        String format() {
            return p90 + " " + p99 + " " + p999 + " " + max;
        }

        /**
         * Reads what {@link #format} has written.
         *
         * @throws IllegalArgumentException for anything else
         */
        static Percentiles parse(String text) {
            String[] figures = figures(text);
            return new Percentiles(
                    Double.parseDouble(figures[0]),
                    Double.parseDouble(figures[1]),
                    Double.parseDouble(figures[2]),
                    Double.parseDouble(figures[3]));
        }
    }

    private static String[] figures(String text) {
        String[] figures = text.split(" ", -1);
        if (figures.length != 4) {
            throw new IllegalArgumentException("wrong number of figures: count=" + figures.length + ", expected=4");
        }
        return figures;
    }

    /** The contestant's name in tables and reports. */
    String subject();

    /** Opens both sides of a test, timed one operation at a time; false for what the contestant cannot do. */
    boolean open(PerfCase perfCase);

    /**
     * Forgets the rounds so far, and times from now on as said.
     *
     * @param batch operations that are timed together, where the test is not one of rates
     */
    void time(int batch);

    /** Runs that many operations of the open test on both sides. */
    Round round(long count);

    /** Of all rounds since {@link #time}. */
    Percentiles percentiles();

    /** Ends the open test on both sides. */
    void end();
}
