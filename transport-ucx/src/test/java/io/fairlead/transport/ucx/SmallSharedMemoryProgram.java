package io.fairlead.transport.ucx;

import io.fairlead.FairleadException;

/** Tries UCX where there is hardly any shared memory, and says how that went. */
final class SmallSharedMemoryProgram {
    private SmallSharedMemoryProgram() {}

    public static void main(String[] arguments) {
        System.out.println("availability: " + new UcxProvider().availability());
        try (RawNode node = new RawNode()) {
            System.out.println("worker: address of " + node.worker.address().length + " bytes");
        } catch (FairleadException failure) {
            System.out.println("worker: " + failure.reason() + " " + failure.getMessage());
        }
    }
}
