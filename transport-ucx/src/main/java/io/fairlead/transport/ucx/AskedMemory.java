package io.fairlead.transport.ucx;

/** A region on which its owner does operations for this process, some or all. */
sealed interface AskedMemory extends UcxRemoteMemory permits RdmaMemory, ServedMemory {
    /** The number by which its owner knows it. */
    long regionId();
}
