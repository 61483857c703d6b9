package io.fairlead.cli.perf;

/**
 * One row of a table of {@code fairlead perf}.
 *
 * @param test the test
 * @param size bytes of an operation
 * @param window operations on their way at once
 */
record PerfCase(PerfTest test, int size, int window) {
    String label() {
        return test.label() + " " + PerfPlan.sizeText(size);
    }
}
