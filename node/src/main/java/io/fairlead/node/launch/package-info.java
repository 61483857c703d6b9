/** The rank of a process in a group that Slurm, mpirun, Kubernetes or the like have started together. */
@NullMarked
package io.fairlead.node.launch;

import org.jspecify.annotations.NullMarked;
