/** The rank of a process among those that Slurm, mpirun, Kubernetes or the like have started together. */
@NullMarked
package io.fairlead.node.launch;

import org.jspecify.annotations.NullMarked;
