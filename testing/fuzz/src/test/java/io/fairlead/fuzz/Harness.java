package io.fairlead.fuzz;

import java.util.List;

/**
 * Feeds one surface with bytes of a peer that keeps no rules. Whatever {@link #run} throws is a finding, so that a harness catches what its
 * surface is meant to answer with, and nothing else. One per process, of one thread.
 */
public interface Harness {
    /**
     * Inputs that get far: without them a fuzzer would have to guess the rules that a good peer keeps.
     *
     * @return the inputs with which a run begins
     */
    List<byte[]> seeds();

    /**
     * Feeds the surface.
     *
     * @param input the peer's bytes
     */
    void run(byte[] input);

    /**
     * How much memory of the heap an input may cost.
     *
     * @param input the peer's bytes
     * @return bytes
     */
    default long heapMax(byte[] input) {
        return (1 << 20) + 64L * input.length;
    }
}
