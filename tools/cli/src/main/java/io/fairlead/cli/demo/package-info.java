/** {@code fairlead demo}: one publisher and three subscribers, each a process, and the proof of what arrived. */
@NullMarked
package io.fairlead.cli.demo;

import org.jspecify.annotations.NullMarked;
